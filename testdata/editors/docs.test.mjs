// The page for client developers in a real browser: nothing that axe-core calls
// an accessibility error, nothing wider than the screen, nothing loaded.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { after, before } from 'node:test'
import { pathToFileURL } from 'node:url'
import puppeteer from 'puppeteer-core'
import { idemgen } from './idemgen.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const folder = mkdtempSync(path.join(tmpdir(), 'idemgen-'))
let browser

before(async () => {
  browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'], // the page is ours, and tests may run as root
  })
})

after(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

async function open(spec, width, scheme) {
  const file = path.join(folder, `${spec.replaceAll('/', '-')}.html`)
  idemgen('docs', '--format', 'html', '-o', file, spec)
  const page = await browser.newPage()
  const requests = []
  page.on('request', (request) => requests.push(request.url()))
  await page.setViewport({ width, height: 900 })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
  await page.goto(pathToFileURL(file).href)
  return { page, requests }
}

for (const spec of ['examples/payments/openapi.yaml', 'testdata/cases/bodies/openapi.yaml', 'testdata/docs/many/openapi.yaml', 'testdata/docs/none/openapi.yaml']) {
  for (const width of [390, 1280]) {
    for (const scheme of ['light', 'dark']) {
      test(`${spec}, ${width} wide, ${scheme}`, async () => {
        const { page, requests } = await open(spec, width, scheme)
        try {
          await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true }))
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
          assert.equal(wide, 0, 'the page scrolls sideways')
          await page.evaluate(axe)
          const { violations } = await page.evaluate(() => globalThis.axe.run())
          assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join('\n')}`), [])
          assert.equal(requests.length, 1, `the page loads ${requests}`)
          const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
          assert.equal(dark === 'rgb(255, 255, 255)', scheme === 'light')
        } finally {
          await page.close()
        }
      })
    }
  }
}

test('texts in the picture stand out from their ground and lie within it', async () => {
  for (const scheme of ['light', 'dark']) {
    const { page } = await open('examples/payments/openapi.yaml', 390, scheme)
    const bad = await page.evaluate(() => {
      const luminance = (color) => {
        const [r, g, b] = color.match(/\d+/g).map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      const ground = luminance(getComputedStyle(document.body).backgroundColor)
      return [...document.querySelectorAll('svg text')].filter((text) => {
        const ink = luminance(getComputedStyle(text).fill)
        const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05)
        const box = text.getBoundingClientRect(), frame = text.ownerSVGElement.getBoundingClientRect()
        return contrast < 4.5 || box.left < frame.left || box.right > frame.right
      }).map((text) => text.textContent)
    })
    assert.deepEqual(bad, [])
    await page.close()
  }
})

test('on paper everything is dark on white, and examples are unfolded', async () => {
  const { page } = await open('examples/payments/openapi.yaml', 1280, 'dark')
  await page.emulateMediaType('print')
  const seen = await page.evaluate(() => ({
    ground: getComputedStyle(document.body).backgroundColor,
    contents: getComputedStyle(document.querySelector('.side')).display,
    example: document.querySelector('.outcomes details pre').getBoundingClientRect().height > 0,
  }))
  assert.deepEqual(seen, { ground: 'rgb(255, 255, 255)', contents: 'none', example: true })
  await page.close()
})
