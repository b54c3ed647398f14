/** Which version a program is, by its own word. One that hangs is ended. */
import { execFile } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { CodedError } from '@roundhouse/backend-types'

export interface VersionQuestion {
  /** How the program is called in a message. */
  name: string
  file: string
  /** Before `--version`. */
  args?: readonly string[]
  env: Record<string, string>
  workDir: string
  timeoutMs: number
}

export function askVersion({ name, file, args = [], env, workDir: cwd, timeoutMs }: VersionQuestion): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, cwd, timeout: timeoutMs, killSignal: 'SIGKILL' as const }
    execFile(file, [...args, '--version'], options, (error, stdout, stderr) => {
      const version = /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0]
      if (!error && version) return resolve(version)
      const late = `${name} --version did not answer within ${timeoutMs / 1000} s.`
      if (error?.killed) return reject(new CodedError('BACKEND_TIMEOUT', late, undefined, error))
      const said = firstLine(stderr)
      const failed = `${name} --version failed${said === undefined ? '.' : `: ${said}`}`
      reject(new CodedError('BACKEND_UNAVAILABLE', failed, undefined, error))
    })
  })
}

const LONGEST_LINE = 300

/** What a program says of its failure: the first line of its stderr that is not empty. */
function firstLine(stderr: string): string | undefined {
  const line = stripVTControlCharacters(stderr)
    .split(/\r?\n/)
    .map((one) => one.trim())
    .find((one) => one !== '')
  if (line === undefined || line.length <= LONGEST_LINE) return line
  // Cut between words: half a secret would not be known as one.
  return `${line.slice(0, line.lastIndexOf(' ', LONGEST_LINE) + 1)}…`
}
