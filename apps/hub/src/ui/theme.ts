/** The chosen theme: `light`, `dark`, or what the system says. The boot script reads the same key before first paint. */
const KEY = 'roundhouse.theme'

function currentTheme(): 'light' | 'dark' {
  const chosen = document.documentElement.dataset.theme
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

export function toggleTheme(): void {
  const theme = currentTheme() === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = theme
  localStorage.setItem(KEY, theme)
}

const DENSITY = 'roundhouse.density'

/** Dense lists show more at once; the page is roomy by default. */
export function toggleDensity(): void {
  const dense = document.documentElement.dataset.density === 'dense'
  if (dense) delete document.documentElement.dataset.density
  else document.documentElement.dataset.density = 'dense'
  localStorage.setItem(DENSITY, dense ? 'roomy' : 'dense')
}
