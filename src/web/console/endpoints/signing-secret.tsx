import { Confirm, Seen, Select, Time } from '../form.js'
import type { Page } from '../page.js'
import { Copyable, Masked } from '../secret.js'

/** The section's id on any page that has it. */
export const SIGNING_SECRET = 'signing-secret'

const OVERLAPS = [
  ['86400', 'in 24 hours'],
  ['0', 'immediately'],
] as const

export function WhatItIsFor() {
  return (
    <p>
      Use it to verify that events come from this service. Check the <code>webhook-signature</code> header
      with any <a href="https://www.standardwebhooks.com">Standard Webhooks</a> library.
    </p>
  )
}

/** Shows an endpoint's signing secret, hidden until it is requested, and the way to a new one. */
export function EndpointSecret(props: {
  page: Page
  /** The path of the page that it is on. */
  path: string
  /** undefined if it was not requested. */
  secret: string | undefined
  previousUntil: Date | null
  rotatedAt: Date | null
  rotateAction: string
}) {
  const { page, path, secret, previousUntil, rotatedAt, rotateAction } = props
  return (
    <>
      {secret === undefined ? (
        <Masked path={path} section={SIGNING_SECRET} text="whsec_••••" show="secret" button="Show secret" />
      ) : (
        <Copyable id="secret" text={secret} what="the signing secret" />
      )}
      {previousUntil !== null && (
        <p>
          The previous secret stays valid until <Time at={previousUntil} />.
        </p>
      )}
      <Confirm
        page={page}
        action={rotateAction}
        label="Rotate"
        consequence={
          'You get a new secret right away. Keep the current one valid for 24 hours, so you can switch without losing events. ' +
          'If it has leaked, let it expire immediately.'
        }
        button="Rotate secret"
      >
        <Select name="overlapSeconds" label="Current secret expires" options={OVERLAPS} value="86400" />
        <Seen at={rotatedAt} />
      </Confirm>
    </>
  )
}
