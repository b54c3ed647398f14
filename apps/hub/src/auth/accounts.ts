/** Stores passwords through the login library. The caller has already decided whom to admit. */
import { CodedError, errorTable } from '@roundhouse/backend-types'
import { APIError } from 'better-auth/api'
import type { Accounts } from '../core'
import type { Auth } from './better-auth'
import { provisioning } from './guarded-adapter'

export function createAccounts(auth: () => Auth): Accounts {
  return {
    async create(body) {
      try {
        return (await provisioning.run(true, () => auth().api.createUser({ body }))).user.id
      } catch (cause) {
        const isTaken = cause instanceof APIError && /ALREADY_EXISTS/.test(String(cause.body?.code))
        throw isTaken ? new CodedError('EMAIL_TAKEN', errorTable.EMAIL_TAKEN.title, undefined, cause) : cause
      }
    },
    hash: async (password) => (await auth().$context).password.hash(password),
  }
}
