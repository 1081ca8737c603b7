import * as yup from 'yup'
import { listApplicationsOf } from '../../database/applications/applications.js'
import {
  deleteApplication,
  getApplication,
  registerApplication,
  rotateClientSecret,
  updateApplication,
} from '../../domain/applications/applications.js'
import { UserError } from '../../errors.js'
import { actingFor } from '../actor.js'
import { optInEventsField, readBodyFields } from '../input/body-fields.js'
import { userOf } from '../middleware/authenticate.js'
import { onOwn, type Operation } from './owner-operation.js'
import { presentApplication } from './presenters.js'

const text = (name: string) => yup.string().strict().typeError(`${name} must be text`)

const URIS = 'redirectUris must be a list of URIs'

const changeable = {
  name: text('name'),
  description: text('description').nullable(),
  website: text('website').nullable(),
  redirectUris: yup.array().strict().typeError(URIS).of(yup.string().strict().typeError(URIS).required(URIS)),
  webhookUrl: text('webhookUrl').nullable(),
  optInEvents: optInEventsField,
}

const change = yup.object(changeable)

const registration = yup.object({
  ...changeable,
  name: changeable.name.required('name is missing'),
  redirectUris: changeable.redirectUris.required('redirectUris is missing'),
  kind: text('kind'),
})

/** Those that the user registered, oldest first. */
export const getApplications: Operation = (context) => async (ctx) => {
  ctx.body = (await listApplicationsOf(context.db, userOf(ctx))).map(presentApplication)
}

/** Answers both secrets, this once. */
export const postApplication: Operation = (context) => async (ctx) => {
  const fields = await readBodyFields(registration, ctx.request.body)
  const { application, ...secrets } = await registerApplication(actingFor(ctx, context), userOf(ctx), fields)
  ctx.body = { ...presentApplication(application), ...secrets }
}

export const getOneApplication = onOwn('application', async (context, { userId, id }) =>
  presentApplication(await getApplication(context, userId, id)),
)

/** What is left out stays. */
export const putApplication = onOwn('application', async (context, { userId, id, ctx }) => {
  await getApplication(context, userId, id)
  const fields = await readBodyFields(change, ctx.request.body)
  if (Object.keys(fields).length === 0) throw new UserError('give at least one field that is to change')
  return presentApplication(await updateApplication(context, userId, id, fields))
})

/** Answers what it was. */
export const deleteOneApplication = onOwn('application', async (context, { userId, id }) => {
  const application = await getApplication(context, userId, id)
  await deleteApplication(context, userId, id)
  return presentApplication(application)
})

export const postClientSecretRotation = onOwn('application', async (context, { userId, id }) => ({
  clientSecret: await rotateClientSecret(context, userId, id),
}))
