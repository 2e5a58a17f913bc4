"use strict";

const fetcher = GraphiQL.createFetcher({
  url: "/graphql",
  subscriptionUrl: location.origin.replace(/^http/, "ws") + "/graphql",
});

const firstQuery = `# Garage, queried. Ctrl-Enter runs what the cursor is in.
query Search {
  search(query: "what is in here?", limit: 5) {
    ... on SearchResult {
      lowConfidence
      hits { rank title source trust section text }
    }
    ... on Problem { code message hint }
  }
}
`;

ReactDOM.createRoot(document.getElementById("explorer")).render(
  React.createElement(GraphiQL, { fetcher, defaultQuery: firstQuery }),
);
