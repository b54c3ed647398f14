/** The secret that signs login cookies: made at first start, kept in the data folder, readable by the owner alone. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'

export function loadHubSecret(dataDir: string): string {
  const file = path.join(dataDir, 'secret')
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' })
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length < 32)
    throw new CodedError('INSECURE_SECRET', `The secret in ${file} is too short: delete the file.`)
  return secret
}
