/** OpenClaw on a machine whose Node.js is too old for it. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { freshFolder, repoRoot } from '../support/common/paths'

/** As its package lies on a disk. It asks for a Node.js that no machine has yet. */
function install(node: string): string {
  const folder = freshFolder('openclaw')
  const file = path.join(folder, 'openclaw.mjs')
  copyFileSync(path.join(repoRoot, 'packages/adapter-acp/src/testing/scripted-openclaw.mjs'), file)
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'openclaw', engines: { node } }))
  return file
}

variation(
  '[CAP-5.1] OpenClaw is greyed, with the Node.js that it needs, until the machine has that',
  async ({ person, system }) => {
    const { page } = person
    const policy = JSON.parse(readFileSync(path.join(system.agent.home, 'config/policy.json'), 'utf8'))
    const use = (file: string) =>
      system.agent.writePolicy({ ...policy, backends: { ...policy.backends, openclaw: { path: file } } })
    use(install('>=98.1.0 <99 || >=99.2.0'))
    await page.getByRole('button', { name: 'New session' }).first().click()
    const programs = page.getByRole('dialog', { name: 'New session' }).getByLabel('Program')
    const openclaw = programs.locator('option', { hasText: 'OpenClaw' })
    const here = process.versions.node
    await expect(openclaw).toHaveText(
      `OpenClaw — OpenClaw needs Node.js >=98.1.0 <99 || >=99.2.0. The node on this machine's PATH is ${here}.`,
      { timeout: 15_000 },
    )
    await expect(openclaw).toBeDisabled()
    use(install('>=20'))
    await expect(openclaw).toHaveText('OpenClaw', { timeout: 15_000 })
    await expect(openclaw).toBeEnabled()
  },
)
