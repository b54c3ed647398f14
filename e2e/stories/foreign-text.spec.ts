/** What models, tools, machines and people write is text, wherever it stands, and nothing else. */
import type { Page } from '@playwright/test'
import { expect, test } from '../support/browser/story'
import { invisible, markup, terminal } from '../support/common/corpora'
import { owner } from '../support/processes/hub-process'
import { askUnderAnotherName } from '../support/rigs/misnamed-request'
import { tellLies } from '../support/wire/lying-machine'
import { RawWeb } from '../support/wire/raw-web'

declare global {
  interface Window {
    __ran?: number
    __reports: string[]
  }
}

const all = markup.join('\n\n')
const script = (steps: object[]) => `Please. SCRIPT: ${JSON.stringify(steps)}`
const oneLine = (text: string) => text.replace(/\s+/g, ' ')

/** Counts what would have happened: reports of the policy, requests that left the hub, dialogs. */
async function watch(page: Page, hubUrl: string): Promise<{ left: string[] }> {
  const left: string[] = []
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(hubUrl) && !/^(data|blob|about):/.test(url)) left.push(url)
  })
  page.on('dialog', (dialog) => void dialog.dismiss().then(() => left.push(`dialog ${dialog.message()}`)))
  page.on('popup', (popup) => left.push(`popup ${popup.url()}`))
  await page.addInitScript(() => {
    window.__reports = []
    document.addEventListener('securitypolicyviolation', (event) =>
      window.__reports.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`),
    )
  })
  return { left }
}

async function expectInert(page: Page, left: string[]): Promise<void> {
  const found = await page.evaluate(() => {
    const foreign = document.querySelectorAll(
      'main img, main iframe, main object, main embed, main form[action], main video, main audio, main math, main base, main link, main meta, main style, main script, [onerror], [onload], [onclick], [onfocus], [ontoggle], [srcdoc], [formaction]',
    )
    const links = [...document.querySelectorAll<HTMLAnchorElement>('main a[href]')]
    return {
      ran: window.__ran,
      reports: window.__reports,
      foreign: [...foreign].map((element) => element.outerHTML.slice(0, 200)),
      links: links.filter((link) => !['http:', 'https:', 'mailto:'].includes(link.protocol)).map((link) => link.href),
      openers: links.filter((link) => link.target === '_blank' && !link.relList.contains('noopener')).length,
      clobbered: [document.location === window.location, document.body instanceof HTMLBodyElement],
    }
  })
  const nothing = { ran: undefined, reports: [], foreign: [], links: [], openers: 0, clobbered: [true, true] }
  expect({ ...found, left }).toEqual({ ...nothing, left: [] })
}

test('[T67] [T68] [T69] [A2] [A32] [A33] [A34] [A35] [A36] [A50] nothing that is shown runs, loads or leads away', async ({
  person,
  system,
}) => {
  const { page } = person
  const { left } = await watch(page, system.hub.url)
  const client = await system.hub.client()
  await page.goto(system.hub.url)
  const steps = [
    { thinking: all },
    { text: all },
    { plan: [{ content: markup[1], status: 'pending' }] },
    { tool: 'Bash', input: { command: `echo ${markup[1]}` }, output: terminal.join('\n'), ask: false },
    { tool: markup[0], input: { [String(markup[1])]: markup[2] }, output: all, isError: true, ask: false },
    { tool: 'Read', input: { file_path: `/code/${markup[1]}` }, output: `<script>window.__ran=1</script>`, ask: false },
    { stderr: all },
    { tool: 'Write', input: { file_path: invisible.file, content: all }, ask: String(markup[1]) },
    { streamError: markup[1] },
  ]
  const sessionId = await person.startSession(script(steps))
  const turned = client.rest.rename(sessionId, { title: invisible.file })
  await expect(turned).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await client.rest.rename(sessionId, { title: oneLine(String(markup[1])) })
  const [agent] = (await client.rest.agents()).items
  await client.rest.renameAgent(agent?.agentId ?? '', oneLine(String(markup[1])))
  await expect(person.ask).toBeVisible()
  await expectInert(page, left)
  for (const path of ['/', '/sessions', '/agents', `/sessions/${sessionId}`]) {
    await page.goto(`${system.hub.url}${path}`)
    await expect(page.getByText('onerror').filter({ visible: true }).first()).toBeVisible()
    await expectInert(page, left)
  }
  await expect(person.ask).toBeVisible()
  for (const fold of await page.locator('[role=log] summary, [role=log] button[aria-expanded=false]').all()) {
    await fold.click()
  }
  await expectInert(page, left)
  const shown = await person.transcript.innerText()
  expect(shown).not.toContain('hidden')
  expect(shown).not.toContain('\u001b')
  await expect(page).toHaveTitle(/onerror/)
  await person.answer('Stop turn')
  await page.getByRole('button', { name: /To the end|new/ }).click()
  await expect(person.turnEnds('interrupted')).toHaveCount(1)
  await expectInert(page, left)
})

test('[A19] no word of the address makes the page speak to another hub', async ({ person, system }) => {
  const { left } = await watch(person.page, system.hub.url)
  const sockets: string[] = []
  person.page.on('websocket', (socket) => sockets.push(new URL(socket.url()).host))
  const away = encodeURIComponent('https://away.example')
  const words = ['hub', 'baseUrl', 'gatewayUrl', 'server', 'url', 'api', 'ws', 'token', 'next'].map(
    (name) => `${name}=${away}`,
  )
  for (const path of ['/', '/sessions', '/login', '/invitation']) {
    await person.page.goto(`${system.hub.url}${path}?${words.join('&')}`)
    await expect(person.page.getByRole('heading').first()).toBeVisible()
  }
  expect(left).toEqual([])
  expect([...new Set(sockets)]).toEqual([new URL(system.hub.url).host])
})

test('[T69] [PERM-7.13] what cannot be seen or turns letters around is made visible where somebody decides', async ({
  person,
}) => {
  const { command, file, marks } = invisible
  const steps = [
    { tool: 'Bash', input: { command: `${command} ${file}` }, output: 'x', ask: 'why not' },
    { text: 'End.' },
  ]
  await person.startSession(script(steps))
  await expect(person.ask).toBeVisible()
  const shown = await person.ask.innerText()
  for (const mark of marks) expect(JSON.stringify(shown)).not.toContain(JSON.stringify(mark).slice(1, -1))
  expect(shown).toContain('U+202E')
  await person.answer('Stop turn')
  await expect(person.turnEnds('interrupted')).toHaveCount(1)
})

test('[T69] [PERM-7.14] what looks like something else in a command or a name is marked where it stands, and one line says so', async ({
  person,
}) => {
  const { spoof } = invisible
  const steps = [
    { tool: 'Bash', input: { command: spoof }, output: 'x' },
    { tool: 'Write', input: { file_path: 'p\u0430ypal.sh', content: 'x' } },
    { tool: 'Bash', input: { command: 'echo привет' }, output: 'x' },
    { text: 'End.' },
  ]
  await person.startSession(script(steps))
  const note = person.ask.getByTestId('odd-note')
  await expect(note).toContainText('p\u0430'.slice(1))
  await expect(note).toContainText('Cyrillic, U+0430')
  await expect(note).toContainText('U+2013')
  await expect(note).toContainText('no ordinary spaces: U+00A0')
  await expect(note).toContainText('spaces at the end of a line')
  const command = person.ask.getByRole('group', { name: 'Command' })
  await expect(command.locator('mark')).toHaveText(['\u2013', '\u0430', 'U+00A0', '\uff0f', '2 spaces'])
  await person.answer('Allow')
  await expect(person.ask).toContainText('write a file')
  await expect(note).toHaveText('It contains characters that look like others: \u0430 (Cyrillic, U+0430).')
  await person.answer('Allow')
  await expect(person.ask).toContainText('привет')
  await expect(note).toHaveCount(0)
  await person.answer('Allow')
  await expect(person.turnEnds('completed')).toHaveCount(1)
})

test('[VIEW-8.16] [VIEW-8.17] what only a machine says that a person did has no name on any page; the audit log tells of it', async ({
  person,
  system,
}) => {
  const { page } = person
  const client = await system.hub.client()
  const { sessionId } = await tellLies(new RawWeb(system.hub), client.rest)
  client.close()
  await page.goto(`${system.hub.url}/sessions/${sessionId}`)
  await expect(person.transcript.getByTestId('user-message')).toContainText('Reported by the machine')
  await expect(person.transcript.getByTestId('tool-card')).toContainText(
    'Allowed for this session, as reported by the machine',
  )
  await expect(person.transcript).not.toContainText(owner.name)
  await page.goto(`${system.hub.url}/audit`)
  await expect(page.getByText('reported an action that no command of this hub asked for').first()).toBeVisible()
})

test('[PERM-7.18] [PERM-7.20] a prompt shows the true command, whatever its machine calls it', async ({
  person,
  system,
}) => {
  const client = await system.hub.client()
  const sessionId = await askUnderAnotherName(new RawWeb(system.hub), client.rest, 'rm -rf /code')
  client.close()
  for (const path of [`/sessions/${sessionId}`, '/']) {
    await person.page.goto(`${system.hub.url}${path}`)
    await expect(person.ask).toContainText('asks to read a file')
    await expect(person.ask.getByText('rm -rf /code')).toBeVisible()
  }
})
