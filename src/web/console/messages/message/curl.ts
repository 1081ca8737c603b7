/** Makes a command for a POSIX shell that sends a request like an attempt's. */
export function curlCommand(request: { url: string; headers: Record<string, string>; body: string }): string {
  const { url, headers, body } = request
  return [
    // Brackets and braces in a URL are taken literally.
    `curl --globoff ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quote(`${name}: ${value}`)}`),
    // The body is raw: one that begins with @ is not a file name.
    `--data-raw ${quote(body)}`,
  ].join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
