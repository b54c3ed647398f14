/**
 * `npm run recover -- [--data DIR] E-MAIL`: a link for a new password, made on the hub's own machine while the hub is down. It takes
 * codes and passkeys away, as any such link does. Exit code 0: printed; 1: not made; 2: asked wrongly.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { toCodedError } from '@roundhouse/backend-types'
import { recoverHere } from './core'
import { takeFolderLock } from './folder-lock'
import { hubWithoutLock } from './older-hub'
import { keepPrivate } from './private-files'
import { openStore } from './store/sqlite'

const usage = 'usage: npm run recover -- [--data DIR] E-MAIL'
const migrationsDir = path.resolve(import.meta.dirname, '../../../prisma/migrations/sqlite')

async function recover(dataDir: string, email: string): Promise<void> {
  const file = path.join(dataDir, 'hub.db')
  if (!existsSync(file)) throw new Error(`There is no hub in ${dataDir}.`)
  keepPrivate(dataDir)
  const lock = await takeFolderLock(dataDir, 'recover')
  try {
    const older = hubWithoutLock(dataDir)
    if (older !== null) throw new Error(`Stop the hub first (process ${older}), then run this again.`)
    const store = await openStore({ file, migrationsDir })
    try {
      const code = await recoverHere({ ...store, now: Date.now }, email)
      console.log(`Start the hub and open this behind its address, within three days, once:\n/invitation#${code}`)
    } finally {
      await store.close()
    }
  } finally {
    lock.release()
  }
}

const { values, positionals } = parseArgs({ options: { data: { type: 'string' } }, allowPositionals: true })
const [email] = positionals
if (email === undefined || positionals.length > 1) {
  console.error(usage)
  process.exit(2)
}
try {
  await recover(path.resolve(values.data ?? process.env.ROUNDHOUSE_DATA_DIR ?? '.roundhouse/hub'), email)
} catch (error) {
  console.error(
    toCodedError(error).code === 'INTERNAL' && error instanceof Error ? error.message : toCodedError(error).message,
  )
  process.exitCode = 1
}
