// The agent as one file for `npm install --global`: its bundle, and the one package that cannot be bundled.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { inRoot } from '../common/paths.mjs'
import { mustRun, npmCommand, PlainError } from '../common/run.mjs'
import { ensureInstalled } from '../setup/install.mjs'

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** What `npm install` reads: no workspace and no source, and no script of ours that would run at install. */
function packedManifest() {
  const { engines } = readJson(inRoot('package.json'))
  const { version, license, type, bin, dependencies } = readJson(inRoot('apps/agent/package.json'))
  const native = { 'better-sqlite3': dependencies['better-sqlite3'] }
  return {
    name: 'roundhouse-agent',
    version,
    description: 'Runs coding agents on this machine for a Roundhouse hub',
    license,
    type,
    engines,
    bin,
    dependencies: native,
  }
}

/** Packs into `folder`, by default `dist` of the repository, and says how a machine installs it. */
export async function packAgent([folder = 'dist']) {
  await ensureInstalled((line) => console.log(line))
  const stages = inRoot('node_modules/.cache/roundhouse') // within the repository: source maps name files relative to it
  mkdirSync(stages, { recursive: true })
  const stage = mkdtempSync(path.join(stages, 'pack-'))
  try {
    await mustRun("the agent's build", [process.execPath, inRoot('apps/agent/build.mjs'), path.join(stage, 'dist')], {
      cwd: inRoot('apps/agent'),
    })
    writeFileSync(path.join(stage, 'package.json'), `${JSON.stringify(packedManifest(), null, 2)}\n`)
    cpSync(inRoot('LICENSE'), path.join(stage, 'LICENSE'))
    const to = path.resolve(folder)
    mkdirSync(to, { recursive: true })
    await mustRun('npm pack', npmCommand('pack', '--pack-destination', to), { cwd: stage })
    const { name, version } = packedManifest()
    const file = `${name}-${version}.tgz`
    console.log(
      `${path.join(to, file)}\n\nOn the other machine: npm install --global --allow-scripts=better-sqlite3 ./${file}\nIf that machine reaches only a package registry, see docs/another-machine.md.`,
    )
  } catch (error) {
    console.error(error instanceof PlainError ? error.message : error)
    process.exitCode = 1
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}
