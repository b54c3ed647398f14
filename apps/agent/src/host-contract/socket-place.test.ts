import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SocketPlace } from './socket-place'

let root: string
let own: string
let spare: string
let place: SocketPlace
beforeEach(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
  own = path.join(root, 'run', 'h.sock')
  spare = path.join(root, 'spare', 'h.sock')
  mkdirSync(path.dirname(own), { mode: 0o700 })
  place = new SocketPlace([own, spare], (socket) => socket.end('host'))
  await place.listen()
})
afterEach(async () => {
  await place.close()
  rmSync(root, { recursive: true })
})

const said = (socketPath: string) =>
  new Promise<string>((resolve) => {
    let text = ''
    const socket: Socket = connect(socketPath)
    socket.on('data', (data) => (text += data))
    socket.on('error', (error) => resolve(String((error as NodeJS.ErrnoException).code)))
    socket.on('close', () => resolve(text))
  })

describe('[RES-1.11] [RES-1.12] the place where a host listens', () => {
  it('stays as it is while its file is there', async () => {
    const before = lstatSync(own).ino
    await place.keep()
    expect(lstatSync(own).ino).toBe(before)
    expect(await said(own)).toBe('host')
  })

  it('is made again where its file is gone', async () => {
    rmSync(own)
    await place.keep()
    expect(await said(own)).toBe('host')
  })

  it('is made again with its folder, which is private', async () => {
    rmSync(path.dirname(own), { recursive: true })
    await place.keep()
    expect(await said(own)).toBe('host')
    expect(lstatSync(path.dirname(own)).mode & 0o777).toBe(0o700)
  })

  it.each([
    ['a file', () => writeFileSync(own, '')],
    ['the socket of somebody else', () => renameSync(`${own}.other`, own)],
  ])('is taken back where %s lies there', async (_what, lay) => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(`${own}.other`, resolve))
    renameSync(own, path.join(root, 'aside'))
    lay()
    await place.keep()
    expect(await said(own)).toBe('host')
    other.close()
  })

  it('is another one, where the first cannot be made, and is the first again once it can', async () => {
    rmSync(path.dirname(own), { recursive: true })
    writeFileSync(path.dirname(own), 'no folder')
    await place.keep()
    expect(place.path).toBe(spare)
    expect(await said(spare)).toBe('host')
    rmSync(path.dirname(own))
    rmSync(spare)
    await place.keep()
    expect(place.path).toBe(own)
    expect(await said(own)).toBe('host')
  })

  it('is found later, where none can be made now', async () => {
    rmSync(path.dirname(own), { recursive: true })
    for (const folder of [own, spare].map(path.dirname)) writeFileSync(folder, 'no folder')
    await place.keep()
    rmSync(path.dirname(own))
    await place.keep()
    expect(await said(own)).toBe('host')
  })

  it('is not made in a folder that others can read', async () => {
    rmSync(path.dirname(own), { recursive: true })
    mkdirSync(path.dirname(own), { mode: 0o755 })
    await place.keep()
    expect(place.path).toBe(spare)
    expect(readdirSync(path.dirname(own))).toEqual([])
  })

  it('keeps the connections that stand, and waits for them in the end', async () => {
    await place.close()
    const heard: Socket[] = []
    place = new SocketPlace([own], (socket) => heard.push(socket))
    await place.listen()
    const client = connect(own)
    await new Promise<void>((resolve) => client.once('connect', resolve))
    rmSync(own)
    await place.keep()
    const closed = place.close()
    const bye = new Promise<string>((resolve) => client.once('data', (data) => resolve(String(data))))
    for (const socket of heard) socket.end('bye')
    expect(await bye).toBe('bye')
    await closed
    expect(existsSync(own)).toBe(false)
  })

  it('is made no more once it is closed', async () => {
    await place.close()
    await place.keep()
    expect(existsSync(own)).toBe(false)
  })
})
