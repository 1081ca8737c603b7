/** The smallest UUIDv7 that a row created at this moment can have: the bounds of a partition. */
export function lowestIdAt(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
