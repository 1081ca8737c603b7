/** Stands in a portal session where a form would be that it may not send. */
export function NeedsSignIn({ what }: { what: string }) {
  return <p class="empty">To {what}, sign in to the console with your password.</p>
}
