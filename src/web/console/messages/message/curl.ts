/** A command for a POSIX shell that sends a request as an attempt sent it. */
export function curlCommand(request: { url: string; headers: Record<string, string>; body: string }): string {
  const { url, headers, body } = request
  return [
    // Brackets and braces in a URL mean themselves.
    `curl --globoff ${quote(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quote(`${name}: ${value}`)}`),
    // Raw: a body that begins with @ is no file's name.
    `--data-raw ${quote(body)}`,
  ].join(' \\\n  ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
