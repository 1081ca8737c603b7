import type { Mutant } from './mutant.js'

const ATTACKS = ['test/web/oauth/attacks.test.ts']
const ACCESS = ['test/web/oauth/access.test.ts']
const SIGN_IN = ['test/domain/people/sign-in.test.ts']
const DISABLED = ['test/web/disabled-user.test.ts']
const AUDIT = ['test/domain/operating/audit.test.ts', 'test/web/audit.test.ts']
const QUEUES = ['test/web/queues.test.ts']

/** These mutants let users do more than they may. */
export const AUTHORIZATION: readonly Mutant[] = [
  {
    breaks: 'an application may do what none of its scopes allows',
    file: 'src/web/middleware/authenticate.ts',
    find: 'if (caller.application !== undefined) requireScope(context, ctx, scopes)',
    replace: '',
    tests: ACCESS,
  },
  {
    breaks: 'every user who is signed in opens the dashboard of queues',
    file: 'src/web/middleware/require-operator.ts',
    find: `session?.role !== 'operator'`,
    replace: `session?.role === undefined`,
    tests: QUEUES,
  },
  {
    breaks: 'another host of the same site may change queues with a password that a browser remembers',
    file: 'src/web/middleware/require-same-site.ts',
    find: ` || site === 'same-site'`,
    replace: '',
    tests: QUEUES,
  },
  {
    breaks: 'an application may revoke the tokens of another',
    file: 'src/web/oauth/provider.ts',
    find: 'revocation: { enabled: true, allowedPolicy: (_, client, token) => token.clientId === client.clientId }',
    replace: 'revocation: { enabled: true, allowedPolicy: () => true }',
    tests: ACCESS,
  },
  {
    breaks: 'the tokens of a code that was used twice at the same moment stay valid',
    file: 'src/web/oauth/adapter.ts',
    find: `if (typeof grantId === 'string') await endTokensOf(context, sha256(grantId))`,
    replace: '',
    tests: ATTACKS,
  },
  {
    breaks: "a link to another browser's authorization opens the user's own",
    file: 'src/web/oauth/authorization-request.ts',
    find: 'if (ctx.path.endsWith(`/${interaction.uid}`)) return interaction',
    replace: 'return interaction',
    tests: ATTACKS,
  },
  {
    breaks: 'guesses made at the same moment all count as the last one that is allowed',
    file: 'src/database/people/sign-in-attempts.ts',
    find: `'select pg_advisory_xact_lock(hashtextextended(?, ?))'`,
    replace: `'select hashtextextended(?, ?)'`,
    tests: SIGN_IN,
  },
  {
    breaks: 'the API token of a disabled user still works',
    file: 'src/database/people/api-tokens.ts',
    find: 'join users u on u.id = t.user_id and u.disabled_at is null',
    replace: 'join users u on u.id = t.user_id',
    tests: DISABLED,
  },
  {
    breaks: 'an application still acts for a disabled user',
    file: 'src/database/applications/oauth-records.ts',
    find: 'join users u on u.id = t.user_id and u.disabled_at is null',
    replace: 'join users u on u.id = t.user_id',
    tests: DISABLED,
  },
  {
    breaks: 'rows of the audit log can be deleted',
    file: 'src/database/sql/tables/refuse_audit_change.sql',
    find: 'raise exception',
    replace: 'raise notice',
    tests: AUDIT,
  },
  {
    breaks: 'the audit log does not say who sent a form',
    file: 'src/web/routes/kinds.ts',
    find: 'act(actingFor(ctx, context))(ctx)',
    replace: 'act(context)(ctx)',
    tests: AUDIT,
  },
]
