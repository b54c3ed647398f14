/** One suite of rules for every backend. What it needs to know about a backend is in the harness (README.md). */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe } from 'vitest'
import type { AdapterHarness } from './rig/harness'
import { exitRules, leftoverRules } from './suite/exit.suite'
import { figureRules } from './suite/figures.suite'
import { interruptRules } from './suite/interrupt.suite'
import { setUpKit } from './suite/kit'
import { manifestRules } from './suite/manifest.suite'
import { modelRules } from './suite/models.suite'
import { optionRules } from './suite/options.suite'
import { outputRules } from './suite/output.suite'
import { permissionRules } from './suite/permission.suite'

export function runAdapterSuite(name: string, harness: AdapterHarness): void {
  describe(`the adapter rules: ${name}`, () => {
    const { skipped } = harness
    // The usual report counts skipped rules without their reason.
    if (skipped !== undefined) beforeAll(() => console.warn(`skipped: ${skipped}`))
    const kit = setUpKit(harness, randomUUID())
    describe('output', () => {
      outputRules(kit)
      figureRules(kit)
    })
    describe('permission', () => permissionRules(kit))
    describe('interrupt', () => interruptRules(kit))
    describe('exit and resume', () => exitRules(kit))
    describe('manifest', () => manifestRules(kit))
    describe('spawn options', () => optionRules(kit))
    if (harness.missingModel !== undefined) describe('models', () => modelRules(kit))
    describe('leftovers', () => leftoverRules(kit))
  })
}
