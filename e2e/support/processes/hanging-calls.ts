/**
 * Folders that do not answer a daemon, its lookers and its askers, without a file system of their own: the calls wait
 * (`hanging-calls.cjs`). Session hosts and programs find an ordinary folder.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freshFolder } from '../common/paths'

export interface HangingCalls {
  /** The environment for the agent. */
  env: Record<string, string>
  /** `more`: additional folders, for processes that start later. */
  hang(...more: string[]): void
  /** From now on the folders answer, including calls that are waiting. */
  answer(): void
}

export function hangingCalls(...folders: string[]): HangingCalls {
  const pipe = path.join(freshFolder('hangs'), 'pipe')
  const shim = path.join(import.meta.dirname, 'hanging-calls.cjs')
  const list = `${pipe}.folders`
  writeFileSync(list, JSON.stringify(folders))
  return {
    env: { NODE_OPTIONS: `--require ${shim}`, ROUNDHOUSE_TEST_HANGS: JSON.stringify({ pipe, list }) },
    hang: (...more) => {
      writeFileSync(list, JSON.stringify([...folders, ...more]))
      execFileSync('mkfifo', [pipe])
    },
    answer: () => {
      const open = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
      rmSync(pipe)
      closeSync(open)
    },
  }
}
