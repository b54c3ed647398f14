/** What axe finds on a page that is serious or critical, in both themes. */
import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** No page holds another, so axe needs no second one to add them up; of what is well it says nothing. */
async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .setLegacyMode()
    .analyze()
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return grave.map(({ id, nodes }) => `${id}, ${nodes.length} times: ${nodes[0]?.html}`)
}

export async function inBothThemes(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(settleColors)
    found.push(...(await faultsOf(page)).map((fault) => `${new URL(page.url()).pathname} ${colorScheme}: ${fault}`))
  }
  return found
}

/** Runs in the page. The shortest transition to the other theme takes a frame, and until then a color is between two. */
async function settleColors(): Promise<void> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  await frame()
  await frame()
  const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
  await Promise.allSettled(ending.map(({ finished }) => finished))
}
