/** Makes a command for a POSIX shell that sends a request, such as one like an attempt's. */
export function curlCommand(request: {
  url: string
  /** If it is left out, curl uses POST with a body and GET without one. */
  method?: string
  headers: Record<string, string>
  body?: string
}): string {
  const { url, method, headers, body } = request
  return [
    // Brackets and braces in a URL are taken literally.
    `curl ${/[[\]{}]/.test(url) ? '--globoff ' : ''}${quote(url)}`,
    ...(method === undefined ? [] : [`--request ${method}`]),
    ...Object.entries(headers).map(([name, value]) => `--header ${quote(`${name}: ${value}`)}`),
    // The body is raw: one that begins with @ is not a file name.
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
