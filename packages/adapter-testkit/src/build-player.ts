/**
 * Bundles the scripted player once per source state, for tests and for programs that run from source. The bundle's name
 * carries the hash of its content, so several test workers may build it at the same time.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = fileURLToPath(new URL('../../adapter-scripted/src/player/main.ts', import.meta.url))
const cache = fileURLToPath(new URL('../../../node_modules/.cache/roundhouse', import.meta.url))
let built: Promise<string> | undefined

/** The absolute path of a program for `createScriptedAdapter(context, { playerPath })`. */
export function buildPlayer(): Promise<string> {
  built ??= bundle()
  return built
}

async function bundle(): Promise<string> {
  const result = await build({
    entryPoints: [source],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    write: false,
  })
  const code = result.outputFiles[0]?.text ?? ''
  const file = join(cache, `scripted-cli-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.mjs`)
  if (existsSync(file)) return file
  mkdirSync(cache, { recursive: true })
  const draft = `${file}.${process.pid}.tmp`
  writeFileSync(draft, code)
  renameSync(draft, file)
  return file
}
