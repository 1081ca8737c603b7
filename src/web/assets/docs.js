// Runs in the browser, at /docs/try. The validator badge would send the document's address to another host.
globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  // Otherwise it would draw every operation, which takes seconds on a phone.
  docExpansion: 'none',
  validatorUrl: null,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
})
