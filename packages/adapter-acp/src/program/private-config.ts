/** The configuration that is written for one process: what the profile makes of the owner's. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asRecord, type Json } from '@roundhouse/adapter-kit/read'
import { CodedError } from '@roundhouse/backend-types'
import type { ConfigPlace, PrivateConfig } from '../profiles/profile'

/** The variable that names the file to the program. */
export async function writePrivateConfig(
  config: PrivateConfig,
  env: Readonly<Record<string, string>>,
  place: Omit<ConfigPlace, 'owners'>,
): Promise<Record<string, string>> {
  const owners = await readOwners(config, env)
  const file = join(place.tmpDir, 'config.json')
  await writeFile(file, JSON.stringify(config.of({ ...place, owners })), { mode: 0o600 })
  return { [config.variable]: file }
}

/** Nothing where the owner has none. */
async function readOwners({ variable, owners }: PrivateConfig, env: Readonly<Record<string, string>>): Promise<Json> {
  if (owners === undefined) return {}
  const path = env[variable] ?? ('path' in owners ? owners.path : inFolder(owners, env))
  const text = path === undefined ? undefined : await readIfThere(path)
  if (text === undefined) return {}
  try {
    return asRecord(JSON.parse(text))
  } catch (cause) {
    const message = `${path} is not plain JSON. Remove comments and trailing commas from it.`
    throw new CodedError('BACKEND_UNAVAILABLE', message, undefined, cause)
  }
}

function inFolder(
  { folder, folderVariable, file }: { folder: string; folderVariable: string; file: string },
  env: Readonly<Record<string, string>>,
): string | undefined {
  const place = env[folderVariable] ?? (env.HOME === undefined ? undefined : join(env.HOME, folder))
  return place === undefined ? undefined : join(place, file)
}

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new CodedError('BACKEND_UNAVAILABLE', `${path} cannot be read (${error.code}).`, undefined, error)
  })
