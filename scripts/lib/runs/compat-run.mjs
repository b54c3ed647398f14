// npm run compat: builds this checkout and an earlier commit, then e2e/compat/main.ts upgrades from that one to this.

import { inRoot } from '../common/paths.mjs'
import { PlainError, run } from '../common/run.mjs'
import { ensureBuilt } from '../setup/build.mjs'
import { ensureInstalled } from '../setup/install.mjs'
import { makeOldCheckout } from '../setup/old-checkout.mjs'

export async function compat([commit]) {
  try {
    await ensureInstalled(console.log)
    await ensureBuilt(console.log)
    const old = await makeOldCheckout(commit, console.log)
    const args = ['--import', 'tsx', inRoot('e2e/compat/main.ts'), old]
    const { code } = await run([process.execPath, ...args], { show: true, cwd: inRoot('e2e') })
    process.exitCode = code
  } catch (error) {
    console.error(error instanceof PlainError ? error.message.trim() : error)
    process.exitCode = 1
  }
}
