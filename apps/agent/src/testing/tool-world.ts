/** A session whose program has our tools, and a caller in that program's place. */

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { script } from '@roundhouse/adapter-scripted'
import { toolSocketPathFor } from '../host-contract/paths'
import { ToolClient } from '../tool-contract/client'
import { placeIn, TOOLS_VARIABLE, type ToolsPlace } from '../tool-contract/place'
import { bundle } from './bundle'
import { type HostView, HostWorld } from './host-world'

export class ToolWorld {
  private readonly clients: ToolClient[] = []
  private calls = 0

  private constructor(
    readonly world: HostWorld,
    readonly socketPath: string,
    private readonly entry: string,
  ) {}

  static async create(): Promise<ToolWorld> {
    const world = await HostWorld.create()
    const socketPath = toolSocketPathFor(world.folder('tools'), world.sessionId)
    return new ToolWorld(world, socketPath, await bundle('session-tools/main.ts'))
  }

  open(env: Record<string, string> = {}, changes: Parameters<HostWorld['open']>[0] = {}): Promise<HostView> {
    return this.world.open({ ...changes, tools: { socketPath: this.socketPath, entry: this.entry } }, env)
  }

  /** With a program that is in the middle of a turn. */
  async inTurn(env: Record<string, string> = {}): Promise<HostView> {
    const host = await this.open(env)
    await host.client.command(this.world.create({}, script([{ text: 'It begins, and', chunk: 4, hang: true }])))
    await host.until(() => host.frames.length > 0)
    return host
  }

  /** Its program ends, and the next one is in the middle of a turn. */
  async anotherProgram(host: HostView): Promise<void> {
    await host.run(this.world.command({ kind: 'process.end' }))
    const seen = host.frames.length
    await host.client.command(this.world.prompt(script([{ text: 'It goes on, and', chunk: 4, hang: true }])))
    await host.until(() => host.frames.length > seen)
  }

  /** As it is in the environment of the program. */
  place(): ToolsPlace {
    const [pid] = this.world.record().procs.map((one) => one.pid)
    const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
    const found = variables.find((one) => one.startsWith(`${TOOLS_VARIABLE}=`)) ?? ''
    const place = placeIn({ [TOOLS_VARIABLE]: found.slice(TOOLS_VARIABLE.length + 1) })
    if (!place) throw new Error('the program has no way to its host')
    return place
  }

  async client(place: ToolsPlace = this.place()): Promise<ToolClient> {
    const client = await ToolClient.connect(place)
    this.clients.push(client)
    return client
  }

  async call(tool: string, input: unknown, callId = `call-${++this.calls}`): Promise<Record<string, unknown>> {
    const client = await this.client()
    return (await client.call({ callId, tool, input })) as Record<string, unknown>
  }

  async dispose(): Promise<void> {
    for (const client of this.clients) client.close()
    await this.world.dispose()
  }
}

/** Sends these bytes to a socket, and resolves with everything that it says until it ends the connection. */
export async function saidTo(socketPath: string, bytes: string): Promise<string> {
  const socket: Socket = connect(socketPath)
  let said = ''
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    said += text
  })
  socket.on('error', () => {})
  socket.write(bytes)
  await once(socket, 'close')
  return said
}
