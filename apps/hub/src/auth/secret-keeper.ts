import { CodedError } from '@roundhouse/backend-types'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import type { SecretKeeper } from '../core'
import type { Auth } from './better-auth'

/** Seals as the login library seals second factors. */
export function createSecretKeeper(auth: () => Auth): SecretKeeper {
  const key = async () => (await auth().$context).secretConfig
  return {
    seal: async (data) => symmetricEncrypt({ key: await key(), data }),
    open: async (data) => {
      try {
        return await symmetricDecrypt({ key: await key(), data })
      } catch (cause) {
        throw new CodedError('STORAGE_DAMAGED', 'The secret was sealed with another key.', undefined, cause)
      }
    },
  }
}
