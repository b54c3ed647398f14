/**
 * The models that a program named when a session opened. Only an open conversation lists them, and one that is opened for that would
 * stay in the owner's history. So each session leaves them in a file for the manifest, for as long as the program is the same file.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asRecord, asText, compact, type Json } from '@roundhouse/adapter-kit/read'
import { ManifestChoice } from '@roundhouse/backend-types'

const MOST_MODELS = 1_000
const LONGEST_TEXT = 500

const Models = ManifestChoice.array().max(MOST_MODELS)

export interface ModelsPlace {
  /** Shared by all sessions of the machine. */
  folder: string
  kind: string
  /** The program. */
  file: string
}

/** None, if the program is another file by now. Never rejects. */
export async function knownModels(place: ModelsPlace): Promise<ManifestChoice[]> {
  const known = await readKnown(place)
  return known && known.stamp === (await stampOf(place)) ? known.models : []
}

/** `current`: the program's own choice; undefined if a person chose, and then the earlier default stays. Never rejects. */
export async function rememberModels(place: ModelsPlace, listed: Json[], current: string | undefined): Promise<void> {
  try {
    const before = await readKnown(place)
    const chosen = current ?? before?.models.find((one) => one.default)?.code
    const models = listed.slice(0, MOST_MODELS).flatMap((model) => choiceOf(model, chosen))
    const text = JSON.stringify({ stamp: await stampOf(place), models })
    if (models.length === 0 || text === JSON.stringify(before)) return
    await mkdir(place.folder, { recursive: true, mode: 0o700 })
    const next = `${fileOf(place)}.${process.pid}`
    await writeFile(next, text, { mode: 0o600 })
    await rename(next, fileOf(place))
  } catch (error) {
    console.error('the models of a program could not be written down', error)
  }
}

function choiceOf({ value, displayName, description }: Json, chosen: string | undefined): ManifestChoice[] {
  const code = asText(value) ?? ''
  if (code === '' || code.length > LONGEST_TEXT) return []
  const label = (asText(displayName) ?? code).slice(0, LONGEST_TEXT)
  return [
    compact({
      code,
      label,
      description: asText(description)?.slice(0, LONGEST_TEXT),
      default: code === chosen || undefined,
    }),
  ]
}

async function readKnown(place: ModelsPlace) {
  try {
    const { stamp, models } = asRecord(JSON.parse(await readFile(fileOf(place), 'utf8')))
    return { stamp: asText(stamp), models: Models.parse(models) }
  } catch {
    return null
  }
}

const fileOf = ({ folder, kind }: ModelsPlace): string => join(folder, `${kind}.json`)

/** Of the path, too: two programs of the policy may have one kind, one after the other. */
async function stampOf({ file }: ModelsPlace): Promise<string> {
  const { ino, size, mtimeMs } = await stat(file)
  return createHash('sha256').update(`${file} ${ino} ${size} ${mtimeMs}`).digest('hex').slice(0, 16)
}
