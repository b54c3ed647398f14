/**
 * The secret that seals second factors and pending sign-in steps. The hub generates it at its first start and keeps it in
 * the data folder, readable only by its user.
 */
import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { lookAt, readOwnFile, replaceOwnFile } from '@roundhouse/owner'

const FEWEST_CHARACTERS = 32
/** Of 43 random ones of base64url fewer than this are different once in more than 10^12 secrets. */
const FEWEST_DIFFERENT = 16
/** Placeholder values that people and programs put in the place of a secret. */
const knownWords = /secret|password|change|example|default|roundhouse|better-auth/i

/** Throws `INSECURE_SECRET` if somebody replaced it with a weak one (T82), and `InTheWay` if it is not a file. */
export function loadHubSecret(dataDir: string): string {
  const file = secretFile(dataDir)
  if (!lookAt(file)) makeSecret(file)
  return readSecret(file)
}

/** Throws `INSECURE_SECRET` as above, and makes none: the hub asks before it touches anything else in the folder. */
export function refuseWeakSecret(dataDir: string): void {
  const file = secretFile(dataDir)
  if (lookAt(file)) readSecret(file)
}

const secretFile = (dataDir: string) => path.join(dataDir, 'secret')

function readSecret(file: string): string {
  const secret = readOwnFile(file).trim()
  const weakness = weaknessOf(secret)
  if (weakness) throw new CodedError('INSECURE_SECRET', `The secret in ${file} ${weakness}: delete the file.`)
  return secret
}

/** Whole and flushed, and its name too, or not there: what it seals is worth nothing without it. */
function makeSecret(file: string): void {
  replaceOwnFile(file, `${randomBytes(32).toString('base64url')}\n`, { flush: true })
  const folder = openSync(path.dirname(file), constants.O_RDONLY | (constants.O_DIRECTORY ?? 0))
  fsyncSync(folder)
  closeSync(folder)
}

function weaknessOf(secret: string): string | null {
  if (secret.length < FEWEST_CHARACTERS) return 'is too short'
  if (new Set(secret).size < FEWEST_DIFFERENT) return 'repeats itself'
  return knownWords.test(secret) ? 'is no random text' : null
}
