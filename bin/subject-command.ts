import type { Command } from 'commander'
import type { Context } from '../src/domain/context.js'
import { run } from './run.js'

/**
 * Returns a function that adds commands about one thing, such as a user: their first argument names it, and `find` looks
 * it up before anything else is read.
 */
export function commandsAbout<Subject>(
  parent: Command,
  [argument, about]: readonly [argument: string, about: string],
  find: (context: Context, reference: string) => Promise<Subject>,
) {
  /**
   * @param work gets what is found, then the command's other arguments, and its options last
   * @param configure adds those arguments and options
   */
  return (
    name: string,
    description: string,
    work: (
      context: Context,
      subject: Subject,
      ...given: never[]
    ) => Promise<{ result: unknown; lines: string[] }>,
    configure: (command: Command) => Command = (command) => command,
  ): void => {
    configure(parent.command(name).description(description).argument(argument, about))
      .option('--json', 'print JSON')
      // Commander calls this with the arguments, the options, and the command itself.
      .action((reference: string, ...rest: unknown[]) => {
        const given = rest.slice(0, -1)
        return run(given.at(-1) as { json?: boolean }, async (context) =>
          work(context, await find(context, reference), ...(given as never[])),
        )
      })
  }
}
