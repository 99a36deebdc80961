"""What is said of a cluster: its name, a second line, a tip, and the same for those who listen."""

from __future__ import annotations

from PySide6.QtCore import QObject

from explorer.ui.panels.clusters.nodes import Node
from explorer.ui.widgets.placeholder import plain_tip

_WORDS = 12  # topic words in a tip


class ClusterTexts(QObject):
    """Sentences about clusters, in the language of the window."""

    def name(self, node: Node) -> str:
        """What a row is called."""
        if node.is_leftovers:
            return self.tr("Unclustered")
        return node.name or self.tr("Cluster {number}").format(number=node.key[1])

    def second(self, node: Node, total: int) -> str:
        """The second line: topic words that the name does not have."""
        if node.is_leftovers:
            return self.tr("{share} of all documents").format(share=f"{node.size / max(1, total):.1%}")
        if node.cluster is None:
            return ""
        shown = node.cluster.name.casefold()
        words = [word.text for word in node.cluster.words if word.text.casefold() not in shown]
        return ", ".join(words)

    def spoken(self, node: Node, total: int) -> str:
        """A row as a sentence."""
        told = self.tr("{name}, %Ln document(s)", "", node.size).format(name=self.name(node))
        return f"{told}, {self.second(node, total)}" if node.is_leftovers else told

    def tip(self, node: Node, total: int) -> str:
        """All that is known of a row."""
        lines = [self.spoken(node, total)]
        if node.is_leftovers:
            lines.append(
                self.tr(
                    "These documents are too far from every cluster. “Assign” moves each one to the "
                    "nearest cluster."
                )
            )
        if node.cluster is not None:
            words = ", ".join(word.text for word in node.cluster.words[:_WORDS])
            lines += [words] if words else []
            lines.append(
                self.tr(
                    "Cohesion {value}: how close the documents are to the cluster centre (mean cosine)."
                ).format(value=f"{node.cluster.cohesion:.2f}")
            )
            lines.append(self._stability(node.stability))
        return plain_tip("\n".join(lines))

    def _stability(self, value: float | None) -> str:
        if value is None:
            return self.tr("Stability: not computed yet.")
        return self.tr(
            "Stability {value}: how reliably this cluster reappears in samples of 80 % of the documents. "
            "Below 0.50 it should not be relied on."
        ).format(value=f"{value:.2f}")
