/**
 * The agent's identity and its hub (JOIN-2): one file, readable only by the owner, written once at enrollment. The chain
 * value changes with every connection and has its own file (JOIN-4), so that the private key is not rewritten each time.
 */
import { lstatSync } from 'node:fs'
import { CodedError } from '@roundhouse/backend-types'
import { readPrivateKey, signText } from '@roundhouse/keys'
import { z } from 'zod'
import { readIfThere } from '../files/read-if-there'
import { writeDurably, writeDurablyOrInPlace } from '../files/write-durably'

export const Identity = z.object({
  version: z.literal(1),
  agentId: z.string().min(1),
  name: z.string(),
  hubUrl: z.url(),
  hubId: z.string().min(1),
  hubPublicKey: z.string().min(1),
  publicKey: z.string().min(1),
  privateKey: z.string().min(1),
  /** Milliseconds. Absent where an earlier agent wrote the file. */
  keyMadeAt: z.number().optional(),
  /** From the key that was here before this one; absent: this one gives it (`socketKeyOf`). */
  socketKey: z.string().min(1).optional(),
})
export type Identity = z.infer<typeof Identity>

/** Null before the agent has joined a hub. Throws a code that passes where the system does not give the file back now. */
export function readIdentity(file: string): Identity | null {
  const text = readIfThere(file)
  if (text === null) return null
  if (process.platform !== 'win32' && (lstatSync(file).mode & 0o077) !== 0) {
    throw new CodedError('INSECURE_SECRET', `${file} can be read by others. Run: chmod 600 ${file}`)
  }
  try {
    return Identity.parse(JSON.parse(text))
  } catch (cause) {
    throw new CodedError('INTERNAL', `${file} is damaged. Join the hub again with a new token.`, undefined, cause)
  }
}

export function requireIdentity(file: string): Identity {
  const identity = readIdentity(file)
  if (identity) return identity
  throw new CodedError(
    'AUTH_REQUIRED',
    'This machine has not joined a hub yet. On the hub choose Machines, "Add machine", and run the command it shows.',
  )
}

export function writeIdentity(file: string, identity: Identity): void {
  writeDurably(file, `${JSON.stringify(identity, null, 2)}\n`)
}

export const signAs = (identity: Identity, text: string): string => signText(readPrivateKey(identity.privateKey), text)

/** JOIN-4: what proves to the hub that this is the agent it saw last. Empty before the first connection. */
export interface ChainStore {
  read(): string
  /** Returns when the value is on the disk, where the disk takes it. */
  write(chain: string): void
}

/**
 * `guarded` writes later where the disk refuses. Until then this process knows the value, so that the machine can connect;
 * one that starts before it was written shows the value before it, as after any restored disk.
 */
export function chainFile(file: string, guarded: (write: () => void) => void = (write) => write()): ChainStore {
  let unwritten: string | null = null
  return {
    read: () => unwritten ?? readIfThere(file)?.trim() ?? '',
    write: (chain) => {
      unwritten = chain
      guarded(() => {
        writeDurablyOrInPlace(file, `${chain}\n`)
        unwritten = null
      })
    },
  }
}
