/** Bytes that begin as images do, and machines that take them. */
import type { TestHub } from './test-hub'

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Of this many bytes. Two with another `tone` differ. */
export function somePng(bytes = 100, tone = 1): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes).fill(tone)
  file.set(png)
  return file
}

export async function letTakeImages(hub: TestHub, agentId: string, alone = true): Promise<void> {
  const capabilities = { acceptsImages: true, ...(alone ? { acceptsImagesAlone: true } : {}) }
  const manifest = JSON.stringify({ backends: [{ kind: 'scripted', capabilities }] })
  await hub.store.prisma.agent.update({ where: { agentId }, data: { manifest } })
}
