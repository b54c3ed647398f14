/**
 * The real paths of the folders that the policy allows. The caller waits for their disks, so no daemon may call this
 * (FLOW-7).
 */
import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import { isInside } from '../files/is-inside'
import { realPlace } from '../files/real-place'
import type { PolicyStore } from './policy-store'

/** A root that is gone for the moment (an unmounted disk) stays in the list as it was written. */
export const realRoots = (roots: readonly string[]): string[] =>
  roots.map((root) => {
    try {
      return realpathSync(root)
    } catch {
      return path.resolve(root)
    }
  })

/** Adds a folder by its real path. Repeating it changes nothing. `home` is the agent's own. */
export function allowFolder(store: PolicyStore, home: string, folder: string): { root: string; added: boolean } {
  const root = realFolder(folder)
  const own = realPlace(home)
  if (isInside(own, root)) {
    throw new CodedError(
      'PATH_NOT_ALLOWED',
      `${root} contains the agent's own key and policy (${home}). Allow a folder below or beside it.`,
    )
  }
  if (isInside(root, own)) {
    throw new CodedError('PATH_NOT_ALLOWED', `${root} belongs to the agent itself. No session may use it.`)
  }
  const policy = store.current()
  if (policy.roots.includes(root)) return { root, added: false }
  store.write({ ...policy, roots: [...policy.roots, root] })
  return { root, added: true }
}

function realFolder(folder: string): string {
  const asked = path.resolve(folder)
  let real: string
  try {
    real = realpathSync(asked)
  } catch (cause) {
    throw new CodedError('INVALID_ARGUMENT', `There is no folder ${asked}.`, undefined, cause)
  }
  if (!statSync(real).isDirectory()) throw new CodedError('INVALID_ARGUMENT', `${asked} is not a folder.`)
  return real
}
