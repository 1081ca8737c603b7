/** Lists every fault of the configuration, one per line, each naming its variable. */
export class ConfigInvalid extends Error {
  override name = 'ConfigInvalid'

  constructor(readonly faults: string[]) {
    super(
      `The configuration has ${faults.length} error${faults.length === 1 ? '' : 's'}:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    )
  }
}
