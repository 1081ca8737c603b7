export function messagePath(messageId: string): string {
  return `/console/messages/${messageId}`
}
