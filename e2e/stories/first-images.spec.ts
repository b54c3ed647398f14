/** Images in the form of a new session: picked, pasted, dropped, taken out again, refused; sent with the first prompt. */
import { createHash } from 'node:crypto'
import type { Page } from '@playwright/test'
import { pixels } from '../../packages/adapter-testkit/src/fixtures/pixels'
import { screens } from '../support/browser/screens'
import { withOlderMachine } from '../support/browser/shown-machines'
import { expect, test } from '../support/browser/story'
import { variation } from '../support/browser/variation'
import { giveFile } from '../support/damage/give-file'
import type { System } from '../support/processes/system'

const bytesOf = (kind: keyof typeof pixels) => Buffer.from(pixels[kind], 'base64')
const seenBy = (kind: keyof typeof pixels) => {
  const file = bytesOf(kind)
  return `I see image/${kind}, ${file.length} bytes, ${createHash('sha256').update(file).digest('hex')}`
}
const file = (name: string, buffer: Buffer) => ({ name, mimeType: 'image/png', buffer })
const says = (text: string) => `Look at this. SCRIPT: ${JSON.stringify([{ text }])}`
const uploadsOf = (page: Page) => {
  const seen: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/v1/images')) seen.push(request.url())
  })
  return seen
}

async function openForm(page: Page, { workDir }: System): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).first().click()
  await page.getByLabel('Folder').fill(workDir)
}

for (const { width, height } of screens) {
  test(`[IMG-3] at ${width} px a session starts with images that were pasted, dropped and picked`, async ({
    person,
    page,
    system,
  }) => {
    await page.setViewportSize({ width, height })
    const uploads = uploadsOf(page)
    await openForm(page, system)
    const prompt = page.getByLabel('First prompt')
    await prompt.fill(says('Seen them.'))
    const attached = page.getByTestId('attached-image')
    await giveFile(prompt, 'paste', pixels.png, 'pasted.png')
    await giveFile(prompt, 'drop', pixels.webp, 'dropped.webp')
    await page
      .getByLabel('Attach images')
      .setInputFiles([file('a.gif', bytesOf('gif')), file('b.jpg', bytesOf('jpeg'))])
    await expect(attached).toHaveCount(4)
    await page.getByRole('button', { name: 'Remove a.gif' }).click()
    await expect(attached).toHaveCount(3)
    await expect(page.getByText('Secrets in them are not removed.')).toBeVisible()
    const drawn = await page
      .getByRole('img', { name: 'dropped.webp' })
      .evaluate((img) => (img as HTMLImageElement).naturalWidth)
    expect(drawn).toBe(16)
    // What is not started leaves nothing on the hub.
    expect(uploads).toEqual([])

    await page.getByRole('button', { name: 'Start session' }).click()
    await page.waitForURL(/\/sessions\/[^/]+$/)
    await expect(person.transcript.getByText('Seen them.', { exact: true })).toBeVisible()
    expect(uploads).toHaveLength(3)
    for (const kind of ['png', 'webp', 'jpeg'] as const)
      await expect(person.transcript.getByText(seenBy(kind))).toHaveCount(1)
    const message = person.transcript.getByTestId('user-message')
    await expect(message).toHaveCount(1)
    for (const index of [1, 2, 3]) {
      const image = message.getByRole('img', { name: `Image ${index} of 3` })
      await expect(image).toHaveAttribute('src', /^blob:/)
      expect(await image.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(16)
    }
    await expect(page.getByRole('group', { name: 'Composer' }).getByTestId('attached-image')).toHaveCount(0)
  })

  variation(
    `[IMG-3] at ${width} px the form says before the start that a program takes no images, and what is none`,
    async ({ person, page, system }) => {
      await page.setViewportSize({ width, height })
      await withOlderMachine(page)
      await person.open()
      await openForm(page, system)
      const dialog = page.getByRole('dialog')
      await page
        .getByLabel('Attach images')
        .setInputFiles([
          file('logo.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
          ...Array.from({ length: 11 }, (_, i) => file(`${i}.png`, bytesOf('png'))),
        ])
      await expect(page.getByTestId('attached-image')).toHaveCount(10)
      await expect(dialog.getByRole('alert')).toContainText('A prompt takes at most 10 images.')
      await expect(dialog.getByRole('alert')).toContainText('logo.png: This is not a PNG, JPEG, WebP or GIF image.')
      const start = page.getByRole('button', { name: 'Start session' })
      await expect(start).toBeEnabled()

      const machine = page.getByLabel('Machine')
      const before = await machine.inputValue()
      await machine.selectOption({ label: 'older' })
      await expect(dialog.getByRole('status')).toHaveText(
        'Demo (scripted) on older takes no images. Remove them, or choose another program or machine.',
      )
      await expect(start).toBeDisabled()
      await expect(page.getByTestId('attached-image')).toHaveCount(10)
      await page.getByLabel('First prompt').press('Control+Enter')
      await machine.selectOption(before)
      await expect(dialog.getByRole('status')).toHaveCount(0)
      await expect(start).toBeEnabled()
      await page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
    },
  )
}

variation('[IMG-3.1] images alone start a session', async ({ person, page, system }) => {
  await openForm(page, system)
  await page.getByLabel('Attach images').setInputFiles(file('a.png', bytesOf('png')))
  await expect(page.getByTestId('attached-image')).toHaveCount(1)
  await page.getByRole('button', { name: 'Start session' }).click()
  await expect(person.transcript.getByText(seenBy('png'))).toHaveCount(1)
})

test('[IMG-3] an upload that fails starts nothing and loses nothing, and the next try is one session', async ({
  person,
  page,
  system,
}) => {
  await openForm(page, system)
  await page.getByLabel('First prompt').fill(says('One session.'))
  await page.getByLabel('Attach images').setInputFiles([file('a.png', bytesOf('png')), file('b.jpg', bytesOf('jpeg'))])
  const { rest, close } = await system.hub.client()
  const before = (await rest.sessions()).items.length
  let asked = 0
  await page.route(
    (url) => url.pathname === '/api/v1/images',
    (route) => {
      asked += 1
      if (asked !== 2) return route.continue()
      const error = { code: 'IMAGES_FULL', message: 'There are too many images here already.', retryable: false }
      return route.fulfill({ status: 429, json: { error } })
    },
  )
  const start = page.getByRole('button', { name: 'Start session' })
  await start.click()
  const alert = page.getByRole('dialog').getByRole('alert')
  await expect(alert).toContainText('b.jpg: There are too many images here already.')
  await expect(alert).toContainText('No session was started.')
  await expect(page.getByTestId('attached-image')).toHaveCount(2)
  await expect(page.getByLabel('First prompt')).toHaveValue(says('One session.'))
  await start.click()
  await expect(person.transcript.getByText('One session.', { exact: true })).toBeVisible()
  for (const kind of ['png', 'jpeg'] as const) await expect(person.transcript.getByText(seenBy(kind))).toHaveCount(1)
  expect((await rest.sessions()).items).toHaveLength(before + 1)
  close()
})

variation(
  '[IMG-3] what a machine refuses goes into another try with its images, from the dialog',
  async ({ person, page, system }) => {
    await openForm(page, system)
    await page.getByLabel('Folder').fill('/nowhere/at/all')
    await page.getByLabel('First prompt').fill(says('At last.'))
    await page.getByLabel('Attach images').setInputFiles(file('a.png', bytesOf('png')))
    await page.getByRole('button', { name: 'Start session' }).click()
    await expect(page.getByRole('dialog').getByRole('alert')).toContainText('No session was started.')
    await expect(page.getByLabel('First prompt')).toHaveValue(says('At last.'))
    await page.getByLabel('Folder').fill(system.workDir)
    await page.getByRole('button', { name: 'Start session' }).click()
    await expect(person.transcript.getByText('At last.', { exact: true })).toBeVisible()
    await expect(person.transcript.getByText(seenBy('png'))).toHaveCount(1)
  },
)

variation(
  '[IMG-3] what a machine refused later goes into another try with its images, from its page',
  async ({ person, page, system }) => {
    const { rest, close } = await system.hub.client()
    const { agentId = '' } = (await rest.agents()).items.find(({ online }) => online) ?? {}
    const { imageId } = await rest.uploadFirstImage(new Uint8Array(bytesOf('png')), crypto.randomUUID())
    const settings = { backend: 'scripted', workDir: '/nowhere/at/all' }
    const { sessionId } = await rest.createSession({ agentId, settings, prompt: says('Later.'), images: [imageId] })
    close()
    await page.goto(`${system.hub.url}/sessions/${sessionId}`)
    const notice = page.getByTestId('session-notice')
    await notice.getByRole('button', { name: 'New session like this' }).click()
    await expect(page.getByLabel('First prompt')).toHaveValue(says('Later.'))
    await expect(page.getByRole('dialog').getByRole('img', { name: 'image' })).toHaveAttribute('src', /^blob:/)
    await page.getByLabel('Folder').fill(system.workDir)
    await page.getByRole('button', { name: 'Start session' }).click()
    await expect(person.transcript.getByText('Later.', { exact: true })).toBeVisible()
    await expect(person.transcript.getByText(seenBy('png'))).toHaveCount(1)
  },
)
