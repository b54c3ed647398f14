import { afterEach, expect, it, vi } from 'vitest'
import { LogNews } from './log-news'

afterEach(() => vi.restoreAllMocks())

it('the news of a log reach all listeners in their order, and later ones from then on', () => {
  const news = new LogNews()
  const heard: unknown[] = []
  news.listen(
    { appended: (bytes) => heard.push(['first', bytes]) },
    { pressure: (high) => heard.push(['second', high]) },
  )
  news.appended(1)
  news.listen({ appended: (bytes) => heard.push(['third', bytes]) })
  news.appended(2)
  news.pressure(true)
  expect(heard).toEqual([
    ['first', 1],
    ['first', 2],
    ['third', 2],
    ['second', true],
  ])
})

it('a disk that refuses is told each time, and written to the console once', () => {
  const news = new LogNews()
  const lines = vi.spyOn(console, 'error').mockImplementation(() => {})
  const disks: unknown[] = []
  news.listen({ diskStalled: (disk) => disks.push(disk) })
  const full = Object.assign(new Error('no space left'), { code: 'SQLITE_FULL' })
  news.stalled(true, full)
  news.stalled(true, new Error('nobody knows this one'))
  news.stalled(false, null)
  expect(disks).toEqual(['full', 'failing', null])
  expect(lines.mock.calls.map(([line]) => line)).toEqual(['the log cannot be written', 'the log is written again'])
})
