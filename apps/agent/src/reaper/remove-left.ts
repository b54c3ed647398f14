/**
 * Removes empty folders that a killed program left in a person's folder. Loaded only when needed, because few sessions die
 * like that.
 */
export async function removeLeft(mounts: readonly string[]): Promise<void> {
  const { adapters } = await import('../backends/adapters')
  for (const { removeLeft } of adapters) await removeLeft?.(mounts)
}
