/** What is started: the program that was found, or the real one behind its launcher. */
import { access, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { findProgram } from '@roundhouse/adapter-kit'
import type { AdapterContext } from '@roundhouse/backend-types'
import type { Profile } from '../profiles/profile'

export interface Start {
  file: string
  /** In front of the program's own arguments. */
  before: string[]
}

export async function startOf({ launch = {} }: Profile, file: string, env: AdapterContext['env']): Promise<Start> {
  const asItIs = { file, before: [] }
  const { behindLauncher } = launch
  if (behindLauncher === undefined) return asItIs
  const real = await realpath(file).catch(() => file)
  if (basename(real) !== behindLauncher.launcher) return asItIs
  const program = join(dirname(real), behindLauncher.program)
  const isThere = await access(program).then(
    () => true,
    () => false,
  )
  return isThere ? { file: await findProgram('node', { env }), before: [program] } : asItIs
}
