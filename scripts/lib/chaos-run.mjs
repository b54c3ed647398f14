// npm run chaos: the production build is made sure of, then e2e/chaos/main.ts lets the storm loose.
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { inRoot } from './paths.mjs'
import { PlainError, run } from './run.mjs'

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
