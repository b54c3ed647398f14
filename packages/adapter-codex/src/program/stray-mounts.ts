/**
 * Codex mounts empty folders over `.git` and its like in every writable folder that lacks them, so that a command
 * cannot create them. When the command is killed, the empty folders stay, and an empty `.git` makes a plain folder look
 * like a repository. Here they are taken away again: only those that were not there before, only empty ones, and only
 * when no other sandbox still has them mounted (it would lose its protection).
 */
import { readdir, readFile, rmdir, stat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'

const names = ['.git', '.codex', '.agents', '.aws']

/** The paths that do not exist now and may be left behind later. */
export async function watchStrayMounts(folders: string[]): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  const missing = await Promise.all(paths.map(async (path) => ((await exists(path)) ? [] : [path])))
  return missing.flat()
}

/** The sandbox of a killed command needs a moment to die; what is still mounted after that belongs to another session. */
const attempts = 6
const betweenMs = 100

/** Also for whoever finds the list of a host that died. */
export async function removeStrayMounts(watched: readonly string[]): Promise<void> {
  let left = await existing(watched.filter((path) => isAbsolute(path) && names.includes(basename(path))))
  for (let attempt = 0; left.length > 0 && attempt < attempts; attempt += 1) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, betweenMs))
    const mounted = await mountPoints()
    const free = left.filter((path) => !mounted.has(path))
    // rmdir refuses a folder with anything in it: what somebody really made stays.
    await Promise.all(free.map((path) => rmdir(path).catch(() => {})))
    left = await existing(left.filter((path) => mounted.has(path)))
  }
}

async function existing(paths: string[]): Promise<string[]> {
  return (await Promise.all(paths.map(async (path) => ((await exists(path)) ? [path] : [])))).flat()
}

async function mountPoints(): Promise<Set<string>> {
  const points = new Set<string>()
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')
    for (const line of text.split('\n')) {
      const point = line.split(' ')[4]
      if (point)
        points.add(point.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))))
    }
  }
  return points
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
