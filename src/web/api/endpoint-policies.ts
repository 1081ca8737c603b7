import { changePolicy, getPolicy, previewPolicy } from '../../domain/endpoints/endpoint-policies.js'
import { onOwn, type Operation } from './owner-operation.js'

function policyOf(of: 'line' | 'application'): Operation {
  return onOwn(of, (context, { userId, id, furtherId }) => getPolicy(context, { of, id, userId, furtherId }))
}

/** JSON Merge Patch (RFC 7396): what is left out stays, and null stands for the default. */
function changeOf(of: 'line' | 'application'): Operation {
  return onOwn(of, (context, { userId, id, furtherId, ctx }) =>
    changePolicy(context, { of, id, userId, furtherId }, ctx.request.body as Record<string, unknown>),
  )
}

/** Nothing is saved. */
function previewOf(of: 'line' | 'application'): Operation {
  return onOwn(of, async (context, { userId, id, furtherId, ctx }) => {
    const owner = { of, id, userId, furtherId }
    const written = ctx.request.body as Record<string, unknown>
    const { contentType, body, isSample } = await previewPolicy(context, owner, written)
    return { contentType, body, isSample }
  })
}

export const getLinePolicy = policyOf('line')
export const patchLinePolicy = changeOf('line')
export const postLinePolicyPreview = previewOf('line')
export const getApplicationPolicy = policyOf('application')
export const patchApplicationPolicy = changeOf('application')
export const postApplicationPolicyPreview = previewOf('application')
