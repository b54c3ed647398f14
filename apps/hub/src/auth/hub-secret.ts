/** The secret that seals second factors and what a sign-in has begun: made at first start, kept in the data folder, readable by the owner alone. */
import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { lookAt, readOwnFile, replaceOwnFile } from '@roundhouse/owner'

const FEWEST_CHARACTERS = 32
/** Of 43 random ones of base64url fewer than this are different once in more than 10^12 secrets. */
const FEWEST_DIFFERENT = 16
/** What people and programs write where a secret belongs. */
const knownWords = /secret|password|change|example|default|roundhouse|better-auth/i

/** Throws `INSECURE_SECRET` where somebody put a weak one in its place (T82), and `InTheWay` where it is no file. */
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
