// npm run chaos: makes sure that the production build exists, then runs e2e/chaos/main.ts.

import { inRoot } from '../common/paths.mjs'
import { PlainError, run } from '../common/run.mjs'
import { ensureBuilt } from '../setup/build.mjs'
import { ensureInstalled } from '../setup/install.mjs'

export async function chaos(argv) {
  try {
    await ensureInstalled(console.log)
    await ensureBuilt(console.log)
    const args = ['--import', 'tsx', inRoot('e2e/chaos/main.ts'), ...argv]
    const { code } = await run([process.execPath, ...args], { show: true, cwd: inRoot('e2e') })
    process.exitCode = code
  } catch (error) {
    console.error(error instanceof PlainError ? error.message.trim() : error)
    process.exitCode = 1
  }
}
