/** JOIN-1: the token comes from a file, a pipe, or a prompt that does not show it. Never from argv or the environment. */
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CodedError } from '@roundhouse/backend-types'

const LIMIT = 4_096

export async function readToken(tokenFile: string | null): Promise<string> {
  const token = (tokenFile === null ? await readInput() : readFile(tokenFile)).trim()
  if (token === '') throw new CodedError('ENROLLMENT_INVALID', 'The token is missing.')
  return token
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, LIMIT)
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', `The token file ${file} cannot be read.`, undefined, cause)
  }
}

function readInput(): Promise<string> {
  return process.stdin.isTTY ? askWithoutEcho('Enrollment token: ') : readPipe()
}

async function readPipe(): Promise<string> {
  let text = ''
  for await (const piece of process.stdin) {
    text += String(piece)
    if (text.length > LIMIT) break
  }
  return text
}

function askWithoutEcho(question: string): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  return new Promise((resolve) => {
    lines.once('close', () => resolve(''))
    lines.once('line', (line) => {
      process.stderr.write('\n')
      resolve(line)
      lines.close()
    })
  })
}
