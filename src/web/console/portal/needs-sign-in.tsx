/** Replaces a form that a portal session may not send. */
export function NeedsSignIn({ what }: { what: string }) {
  return <p class="empty">To {what}, sign in to the console with your password.</p>
}
