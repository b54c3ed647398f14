/** Every store: the one-time code of the first run. */
import { expect, it } from 'vitest'
import type { StoreContext } from '../testing/store-context'

export function setupSuite(context: StoreContext): void {
  it('a setup code is claimed once, in time, and after few wrong tries; what came to nothing is claimed again', async () => {
    const { setup } = context.store
    expect([await setup.isEmpty(), await setup.find(), await setup.claim(1, 2)]).toEqual([true, null, false])
    await setup.keep({ codeHash: 'h', expiresAt: 10 })
    expect(await setup.claim(10, 2)).toBe(false)
    expect(await Promise.all([setup.claim(9, 2), setup.claim(9, 2)])).toEqual([true, false])
    await setup.release()
    await setup.countWrong()
    expect([await setup.claim(9, 1), await setup.claim(9, 2)]).toEqual([false, true])
    await setup.keep({ codeHash: 'other', expiresAt: 20 })
    await context.reopen()
    expect(await context.store.setup.find()).toEqual({ codeHash: 'other', expiresAt: 20 })
    expect(await context.store.setup.claim(19, 1)).toBe(true)
  })
}
