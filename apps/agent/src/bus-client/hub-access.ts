/** Which hub a command of the bus speaks to, and the token by which it does: from the command line, a file or the environment. */
import { readFileSync } from 'node:fs'
import { CodedError } from '@roundhouse/backend-types'
import { readHubUrl } from '../identity/enroll'

export interface HubAccess {
  hubUrl: string
  token: string
}

export interface AskedAccess {
  /** Null: from `ROUNDHOUSE_HUB`. */
  hub: string | null
  /** Null: the token is in `ROUNDHOUSE_TOKEN`. */
  tokenFile: string | null
  plainHttp: boolean
}

const LIMIT = 4_096

export function readAccess(asked: AskedAccess, env: Readonly<Record<string, string | undefined>>): HubAccess {
  const url = asked.hub ?? env.ROUNDHOUSE_HUB ?? ''
  if (url === '')
    throw new CodedError('INVALID_ARGUMENT', 'The address of the hub is missing: --hub <url>, or ROUNDHOUSE_HUB.')
  const token = (asked.tokenFile === null ? (env.ROUNDHOUSE_TOKEN ?? '') : readFile(asked.tokenFile)).trim()
  if (token === '')
    throw new CodedError('AUTH_REQUIRED', 'The token is missing: --token-file <file>, or ROUNDHOUSE_TOKEN.')
  // It becomes a header: a line break or a letter beyond ASCII would not be a token anyway.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CodedError('INVALID_ARGUMENT', 'The token has a character that none has.')
  return { hubUrl: readHubUrl(url, asked.plainHttp), token }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, LIMIT)
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', `The token file ${file} cannot be read.`, undefined, cause)
  }
}
