/** Replaces a part of the overview that could not be looked at. */
export function PartFault({ fault }: { fault: string }) {
  return <p class="fault">{fault}.</p>
}
