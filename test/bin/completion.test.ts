import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { runProgram, stopProcesses } from '../helpers/process/processes.js'
import { answer, command } from './linehook.js'

const PROGRAM = fileURLToPath(new URL('../../dist/bin/linehook.js', import.meta.url))

describe('linehook completion', () => {
  after(stopProcesses)

  /** What a shell is told to offer in the place of the last word. */
  const offered = async (...words: string[]) => {
    const lines = await answer({}, 'complete', '--', ...words)
    return lines.filter((line) => !line.startsWith(':')).map((line) => line.split('\t')[0])
  }

  it('offers commands, options and the words that an option takes', async () => {
    const [all, ofMessage, options, states] = await Promise.all([
      offered(''),
      offered('message', ''),
      offered('message', 'list', '--st'),
      offered('message', 'list', '--status', 'se'),
    ])
    expect(all).to.include.members(['start', 'doctor', 'message', 'tail', 'completion'])
    expect(all).not.to.include('complete')
    expect(ofMessage).to.include.members(['list', 'show', 'send-again'])
    expect(options).to.deep.equal(['--status'])
    expect(states).to.deep.equal(['sending', 'sent'])
  })

  it('has a script for each shell that asks the program, and refuses other shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect((await answer({}, 'completion', shell)).join('\n'), shell).to.include('linehook complete --')
    }
    const { exitCode, errorLines } = await command({}, ['completion', 'csh'])
    expect(exitCode).to.equal(1)
    expect(errorLines[0]).to.match(/Allowed choices are zsh, bash, fish, powershell/)
  })

  it('completes in bash', async () => {
    const script = (await answer({}, 'completion', 'bash')).join('\n')
    // As the package bash-completion does it, which need not be here; a function stands for the program on the PATH.
    const bash = `${script}
      _get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=\${words[cword]}; }
      compopt() { :; }
      linehook() { node ${PROGRAM} "$@"; }
      COMP_WORDS=(linehook delivery send); COMP_CWORD=2
      __linehook_complete
      printf '%s\\n' "\${COMPREPLY[@]}"`
    const ran = runProgram('bash', ['bash', '--norc', '-c', bash], {})
    expect(await ran.exitCode, ran.lines.join('\n')).to.equal(0)
    expect(ran.outputLines).to.deep.equal(['send-again'])
  })
})
