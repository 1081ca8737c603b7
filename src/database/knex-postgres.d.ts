/** knex's own client for Postgres that `pool-client.ts` builds on; its types leave it out. */
declare module 'knex/lib/dialects/postgres/index.js' {
  import { Knex, knex } from 'knex'

  export default class PostgresClient extends knex.Client {
    constructor(config: Knex.Config)
    driver: { Client: new (settings: object) => never }
    connectionSettings: object
    acquireConnection(): Promise<object>
    acquireRawConnection(): Promise<object>
    releaseConnection(connection: object): Promise<void>
    query(connection: object, statement: unknown): Promise<unknown>
    _query(connection: object, statement: unknown): Promise<unknown>
    destroyRawConnection(connection: object): Promise<void>
    destroy(callback?: () => void): Promise<void>
  }
}
