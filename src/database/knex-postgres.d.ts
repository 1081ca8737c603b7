/** knex's own client for Postgres, which its types leave out: what `pool-client.ts` builds on. */
declare module 'knex/lib/dialects/postgres/index.js' {
  import { Knex, knex } from 'knex'

  export default class PostgresClient extends knex.Client {
    constructor(config: Knex.Config)
    acquireConnection(): Promise<object>
    query(connection: object, statement: unknown): Promise<unknown>
    _query(connection: object, statement: unknown): Promise<unknown>
    destroyRawConnection(connection: object): Promise<void>
  }
}
