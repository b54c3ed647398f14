/** Seals what the hub has to read again with its own secret, in the format of the login library, as second factors are. */
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import type { SecretKeeper } from '../core'
import type { Auth } from './better-auth'

export function createSecretKeeper(auth: () => Auth): SecretKeeper {
  const key = async () => (await auth().$context).secretConfig
  return {
    seal: async (data) => symmetricEncrypt({ key: await key(), data }),
    open: async (data) => symmetricDecrypt({ key: await key(), data }),
  }
}
